// What a store keeps of a sink: how far it is, and what it struggles with. The part of the port that Delivery needs.
import type { SinkMark } from './sink.ts'

/** An item that failed alone, and is tried again beside the others. */
interface SinkSuspect {
  /** `seq` of the item. */
  readonly seq: number
  /** How often it failed alone, each time while other items passed. */
  readonly failures: number
}

/** How far the search for an item that a sink cannot write has come: short runs go on where the last one was. */
interface SinkSearch {
  /** Items of the next batch, at most. Absent: nothing was halved yet. */
  readonly limit?: number
  /** `seq` of the first item of the batch that failed last; 0: something was written since. */
  readonly seq: number
  /** How often a batch that begins with it failed in a row. */
  readonly times: number
}

/** One sink of a store. */
export interface SinkRecord {
  /** Unique among the sinks of a store. */
  readonly name: string
  /** Its mark, and its counts, are of changes. Absent: of items. */
  readonly changes?: true
  /** Absent until something was written. Everything up to it is written, but for `suspects` and what is set aside. */
  readonly mark?: SinkMark
  /** Items that it has, of all runs. An estimate where a sink went back to an earlier mark, and some of the items there are not for it. */
  readonly written: number
  /** What is wrong with it. Absent while it works. */
  readonly trouble?: SinkTrouble
  /** Items up to the mark that are not written. At most eight. */
  readonly suspects?: readonly SinkSuspect[]
  /** Absent while nothing fails. */
  readonly search?: SinkSearch
}

/** Why a sink is behind. */
interface SinkTrouble {
  /** Epoch ms of the first failure since it last worked. */
  readonly since: number
  /** Of the last failure, without secrets. */
  readonly error: string
}

/** A sink at rest. */
export interface SinkStanding extends SinkRecord {
  /** Items (or changes) of the store that it has not looked at, or not written, by now. Those that its filter leaves out are among them. */
  readonly behind: number
}

/** The part of a frontier that its sinks need. */
export interface SinkStore {
  /** What is kept of a sink; undefined: nothing. */
  get(name: string): Promise<SinkRecord | undefined>
  /** Keeps it, in one transaction that survives a power cut. False, and nothing is kept, while another process runs the sink. */
  keep(record: SinkRecord): Promise<boolean>
  /** One process runs each sink: true if it is this one from here on. It is free again when that process frees it, closes the store, or dies. */
  claim(name: string): Promise<boolean>
  /** Lets another process run it. */
  free(name: string): Promise<void>
}

// What a run says of one of its sinks: while it goes on, and in its report.

/** A sink: how far it is, and what troubles it. */
export interface SinkStatus {
  /** As the sink is named. */
  readonly name: string
  /** It gets changes: so many of those, wherever items are counted. */
  readonly changes?: true
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
