/** Everything that was said and done in Gemini CLI, as data, over the program that comes with this package. */

import type { Hit, MessageLine, ProjectRow, Session, SessionRow, StatsDocument } from "./documents";

export type * from "./documents";

/** The program could not do it. */
export class GemtrailError extends Error {
  /** A stable word. */
  readonly code: string;
  /** What may help. */
  readonly hint: string | null;
  /** How the program ended; null if it could not be started. */
  readonly exitCode: number | null;
}

/** Any options of the command line, by their long names in camel case: `{ noArchive: true }`. */
export interface Options {
  /** A `.gemini` directory, or several. */
  home?: string | string[];
  /** The archive's file. */
  archive?: string;
  [option: string]: string | number | boolean | string[] | undefined;
}

/** Which sessions. */
export interface Filter extends Options {
  project?: string;
  since?: string;
  until?: string;
  model?: string;
  limit?: number;
}

/** The sessions, newest first. */
export function list(options?: Filter): AsyncGenerator<SessionRow, void, undefined>;

/** What was found. */
export function search(query: string, options?: Filter): AsyncGenerator<Hit, void, undefined>;

/** The messages of a session, one by one; a session of any size needs little memory. */
export function read(name: string, options?: Options): AsyncGenerator<MessageLine, void, undefined>;

/** The projects. */
export function projects(options?: Options): AsyncGenerator<ProjectRow, void, undefined>;

/** A whole session, by its reference, id, file or `latest`. */
export function session(name: string, options?: Options): Promise<Session>;

/** Tokens, cost, tools and models. */
export function stats(options?: Options): Promise<StatsDocument>;

/** What any command prints, which is JSON where nothing else is asked for: `run("export", ref, "--format", "md")`. */
export function run(...args: string[]): Promise<string>;
