import { z } from "zod";
import type { Method } from "./method.ts";

const commandsSchema = z.array(z.object({ command: z.string(), description: z.string() }));

const getMe: Method = {
  name: "getMe",
  run: ({ bot }) => ({
    ...bot.user,
    can_join_groups: true,
    can_read_all_group_messages: false,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
  }),
};

const setMyCommands: Method = {
  name: "setMyCommands",
  run: ({ bot, params }) => {
    bot.commands = params.json("commands", commandsSchema) ?? [];
    return true;
  },
};

const getMyCommands: Method = { name: "getMyCommands", run: ({ bot }) => bot.commands };

const deleteMyCommands: Method = {
  name: "deleteMyCommands",
  run: ({ bot }) => {
    bot.commands = [];
    return true;
  },
};

/** Who the bot is, and its command menu. */
export const accountMethods: readonly Method[] = [getMe, setMyCommands, getMyCommands, deleteMyCommands];
