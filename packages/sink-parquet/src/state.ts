// What the mark of the sink remembers: the number of the next file, and the columns of all of them.
import { AvocetError, type Json } from '@avocet/core'
import { isRow, type Columns } from './columns.ts'

/** The state of a mark. */
export interface PartState {
  /** Number of the next file, from 1. */
  readonly next: number
  readonly columns: Columns
}

const TYPES: readonly unknown[] = ['string', 'double', 'int64', 'boolean', 'timestamp', 'json']

/** As it is in the store. */
export function stateOf({ next, columns }: PartState): Json {
  return { next, columns: columns.map(([name, type]) => [name, type]) }
}

/** As it was kept; undefined before the first file. Throws AVO_OUTPUT_UNWRITABLE if another kind of sink kept it. */
export function readState(state: Json | undefined): PartState | undefined {
  if (state === undefined) return undefined
  if (isRow(state) && Number.isSafeInteger(state['next']) && areColumns(state['columns'])) return state as unknown as PartState
  throw new AvocetError(
    'AVO_OUTPUT_UNWRITABLE',
    'expected the mark of a Parquet sink, got that of another kind of sink with the same name; give this one a name of its own',
  )
}

function areColumns(columns: Json | undefined): boolean {
  return Array.isArray(columns) && columns.every((column) => Array.isArray(column) && TYPES.includes(column[1]))
}
