import { type CommandRunner, ControlError } from "./control-commands.ts";
import { parseJson } from "./json.ts";
import type { FakeApp } from "./routes.ts";

/** `POST /_fake/<command>` with a JSON body: the commands for other processes. */
export function addControlRoutes(app: FakeApp, commands: CommandRunner): void {
  app.post("/_fake/:command", async (c) => {
    const name = c.req.param("command");
    if (!commands.has(name)) return c.json({ error: `There is no command "${name}".` }, 404);
    try {
      return Response.json({ result: await commands.run(name, parseJson(await c.req.text())) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return c.json({ error: message }, error instanceof ControlError ? 400 : 500);
    }
  });
}
