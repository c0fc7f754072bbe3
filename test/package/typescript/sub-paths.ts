// The declarations of every entry point must compile where skipLibCheck is off and no optional peer is installed.
export type * as bookonce from "bookonce";
export type * as calendar from "bookonce/calendar";
export type * as kysely from "bookonce/kysely";
export type * as pg from "bookonce/pg";
export type * as pglite from "bookonce/pglite";
export type * as telegram from "bookonce/telegram";
export type * as testing from "bookonce/testing";
