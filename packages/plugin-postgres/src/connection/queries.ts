// What the rest of the package asks the database by.
//
// `{S}` in a statement stands for the quoted name of the crawl's schema, `{SAME}` for an expression that fails where another server took the place of that of
// the crawl: each statement that writes has it where it is evaluated if anything is written.

/** Runs statements. `bigint` and `numeric` come as numbers. Throws AvocetErrors. */
export interface Queries {
  /** One statement, in a transaction of its own. */
  all<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** One view of all tables, in which nothing changes. It has a connection of its own until it ends. */
  snapshot(): Promise<Snapshot>
}

/** All that it reads is as of one moment. What fails ends it. */
export interface Snapshot extends Pick<Queries, 'all'> {
  end(): Promise<void>
}
