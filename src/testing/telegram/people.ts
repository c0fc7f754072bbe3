import type { JsonObject } from "./json.ts";

/** A new person, before the missing parts are made up. */
export interface NewUser {
  id?: number | undefined;
  /** Default `"Person <n>"`. */
  firstName?: string | undefined;
  lastName?: string | undefined;
  username?: string | undefined;
  /** Whole Stars in the person's wallet. Default 1000. */
  stars?: number | undefined;
  /** IETF tag of the person's Telegram client, such as `"uz"`. Default `"en"`. */
  language_code?: string | undefined;
}

/** One person with a wallet of Stars. */
export interface Person {
  readonly id: number;
  /** The person as a Bot API `User`. */
  readonly user: JsonObject;
  readonly firstName: string;
  stars: number;
  /** Stars that came from outside, so that the ledger can check its sums. */
  granted: number;
}

/** The first id given out; far from the small numbers that tests like to write by hand. */
const FIRST_USER_ID = 7_000_000_001;

/** Everybody who has a Telegram account here. */
export class People {
  readonly #people = new Map<number, Person>();
  #nextId = FIRST_USER_ID;

  add(user: NewUser): Person {
    const id = user.id ?? this.#freeId();
    if (this.#people.has(id)) throw new Error(`There is already a user with id ${id}.`);
    const firstName = user.firstName ?? `Person ${this.#people.size + 1}`;
    const stars = user.stars ?? 1000;
    const person: Person = {
      id,
      firstName,
      user: {
        id,
        is_bot: false,
        first_name: firstName,
        ...(user.lastName === undefined ? {} : { last_name: user.lastName }),
        ...(user.username === undefined ? {} : { username: user.username }),
        language_code: user.language_code ?? "en",
      },
      stars,
      granted: stars,
    };
    this.#people.set(id, person);
    return person;
  }

  find(id: number): Person | undefined {
    return this.#people.get(id);
  }

  get(id: number): Person {
    const person = this.#people.get(id);
    if (!person) throw new Error(`There is no user with id ${id}.`);
    return person;
  }

  all(): readonly Person[] {
    return [...this.#people.values()];
  }

  #freeId(): number {
    while (this.#people.has(this.#nextId)) this.#nextId++;
    return this.#nextId++;
  }
}
