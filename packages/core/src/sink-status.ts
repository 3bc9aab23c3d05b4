// What a run says of one of its sinks: while it goes on, and in its report.

/** A sink: how far it is, and what troubles it. */
export interface SinkStatus {
  /** As the sink is named. */
  readonly name: string
  /** Items that it has, of all runs. */
  readonly written: number
  /** Items that it lacks, as far as is known; those that its filter leaves out are among them until they are looked at. */
  readonly behind: number
  /** Items that it cannot take, kept in the store with the reason. */
  readonly setAside: number
  /** Of the items that it was handed in this run, those that it refused. Absent: none. */
  readonly refused?: { readonly items: number; readonly of: number }
  /** Epoch ms of the first failure since it last worked. Absent while it works. */
  readonly failingSince?: number
  /** Of the last failure. Absent while it works. */
  readonly error?: string
  /** Epoch ms since when it has not answered: it was asked to open, or given a batch. Absent where it was asked nothing. */
  readonly waitedSince?: number
  /** Another process runs it. */
  readonly elsewhere?: true
}
