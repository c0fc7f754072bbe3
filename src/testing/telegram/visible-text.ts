const ENTITIES: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" };

/** The text as a person sees it: HTML tags and entities resolved. Markdown is left as it was written. */
export function visibleText(text: string, parseMode: string): string {
  if (parseMode.toLowerCase() !== "html") return text;
  return text.replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}
