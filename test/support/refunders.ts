import type { RefundAnswer, Refunder, RefundTask } from "bookonce";

export type Answer = RefundAnswer | { readonly answer: "pause"; readonly error: string };

/** A provider that gives these answers in order, the last one for ever, and remembers what it was asked. */
export function answering(...answers: (Answer | Error)[]): Refunder & { readonly tasks: RefundTask[] } {
  const tasks: RefundTask[] = [];
  return {
    provider: "telegram_stars",
    tasks,
    async refund(task) {
      tasks.push(task);
      const answer = answers[Math.min(tasks.length, answers.length) - 1];
      if (answer instanceof Error || answer === undefined) throw answer;
      return answer;
    },
  };
}

export const done: Answer = { answer: "refunded", by: "telegram" };
