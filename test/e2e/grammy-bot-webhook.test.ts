import { botStories } from "./bot-stories.ts";

botStories("webhook", 2);
