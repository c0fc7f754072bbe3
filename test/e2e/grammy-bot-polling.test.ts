import { botStories } from "./bot-stories.ts";

botStories("polling", 1);
