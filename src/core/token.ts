/** Marks an invoice payload as ours among a bot's other ones. What follows it is random. */
export const tokenPrefix = "bko1_";

/** Whether an invoice payload was made by bookonce. */
export function isOurToken(payload: string): boolean {
  return payload.startsWith(tokenPrefix);
}
