// What the rest of the package asks the database by.

/** Runs statements. `{S}` in the text stands for the quotedName name of the crawl's schema; `bigint` and `numeric` come as numbers. Throws AvocetErrors. */
export interface Queries {
  /** One statement, in a transaction of its own. */
  all<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
}
