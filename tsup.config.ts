import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    "database/pg": "src/database/pg.ts",
    "database/kysely": "src/database/kysely.ts",
    "database/pglite": "src/database/pglite.ts",
    "providers/telegram/index": "src/providers/telegram/index.ts",
    "calendar/index": "src/calendar/index.ts",
    "testing/index": "src/testing/index.ts",
    "cli/main": "src/cli/main.ts",
  },
  format: "esm",
  target: "node22",
  tsconfig: "tsconfig.build.json",
  dts: true,
  clean: true,
});
