// One row of the table of hostile behaviours: what a server does, and what a crawler must make of it.
//
// A row says nothing about any crawler's insides: what it expects can be seen from outside (why an exchange ended, which pages were had, how many
// requests arrived), so that the same row judges the code of today and of next year.
import type { FailureCode } from '@avocet/core/plugin'
import type { CertificateKind } from './certificates.ts'
import type { Http2Play } from './http2-line.ts'
import type { Line } from './line.ts'
import type { NameAnswer } from './name-server.ts'

/** A request to a hostile host. */
export interface HostileRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** The whole head as text, a character a byte. */
  readonly head: string
  /** Counted from 1 over the host, robots.txt left out. */
  readonly nth: number
  readonly world: World
}

/** What a row can link to. */
export interface World {
  /** Name of the row: a path that begins with it is counted for the row, wherever it leads. */
  readonly row: string
  /** Origin of this host, without a slash at its end. */
  readonly origin: string
  /** Which of the row's hosts this is, from 0. */
  readonly host: number
  readonly port: number
  /** Port of the listener that no row may lead to: on 127.0.0.1 and, where the machine has it, on ::1. */
  readonly canaryPort: number
  /** Origin of the `n`-th host of another row. */
  originOf(row: string, n?: number): string
}

/** Plays a response. */
export type HostileAnswer = (asked: HostileRequest, line: Line) => void

/** The behaviour of a host. */
export interface Play {
  /** When a connection is accepted, before anything is asked. */
  readonly accept?: (line: Line, world: World) => void
  /** For each request but robots.txt; where it is absent requests are read, and never answered. */
  readonly answer?: HostileAnswer
  /** For robots.txt. Default: a 404, so that the row's own behaviour meets its pages. `as-page`: like any other path. */
  readonly robots?: HostileAnswer | 'as-page'
}

/** What a crawl must result in. Every field that is given must hold. */
export interface Expected {
  /** One of these is why an exchange of the row ended without a page: a code, or a status as `http-503`. Without `pages`, no page may be had either. */
  readonly ends?: readonly (FailureCode | `http-${number}`)[]
  /** Paths of pages that a handler must have had. */
  readonly pages?: readonly string[]
  /** Titles that the pages with these paths must have. */
  readonly titles?: Readonly<Record<string, string>>
  /** Links that a handler must have seen on the row's first page: at least, and at most. */
  readonly links?: readonly [least: number, most: number]
  /** Requests, or connections if they are more, that one host of the row may get. Default 12. */
  readonly mostRequests?: number
  /** Pages that a handler may get. */
  readonly mostPages?: number
  /** New URLs that pages of the row may bring into the store. */
  readonly mostKnown?: number
  /** A text that the report must contain: the pattern of a trap. */
  readonly reported?: string
  /** What was asked for must still be waiting: nothing of it may be failed. */
  readonly keepsWaiting?: boolean
  /** Paths that no request may name. */
  readonly never?: RegExp
  /** Who may see the secret header that the crawl was given: all requests, or only those over TLS. Default `all`. */
  readonly secretFor?: 'all' | 'https'
}

/** Bars of a flood: a row of many hosts that is run for itself. */
export interface FloodBars {
  /** Peak memory of the crawl. */
  readonly mostPeakMib: number
  /** Least share of the healthy pages that must be had by the end of the run. */
  readonly healthyShare: number
}

/** A named behaviour. */
export interface HostileRow {
  /** Unique; lower case, digits and dashes. */
  readonly name: string
  /** What the server does, in a few words. */
  readonly does: string
  /** What it does; `refuses`: nobody listens; `swallows`: connecting never ends. */
  readonly play: Play | 'refuses' | 'swallows'
  readonly expected: Expected
  /** Its certificate. Absent: plain HTTP. `plain-too`: a good one, and plain HTTP at the same port. */
  readonly tls?: CertificateKind | 'plain-too'
  /** What it does where HTTP/2 is offered, which the crawl does for this host: with `tls`. Absent: it chooses HTTP/1.1. */
  readonly http2?: Http2Play
  /** Its host is found by a name, `ROW.hostile.test`, of which the name server says this. Absent: an address. */
  readonly named?: (world: Omit<World, 'originOf'> & { readonly address: string; readonly sinceMs: number }) => NameAnswer
  /** What the name server says of names below that one. Default: that they do not exist. */
  readonly below?: (name: string, world: { readonly address: string }) => NameAnswer
  /** Where the crawl begins: paths, or what makes whole URLs. Default `/`. */
  readonly seeds?: readonly string[] | ((world: World) => readonly string[])
  /** The handler that its pages go to: `dom` builds a document as well, `hrefs` makes links of what stands in them. Default `start`. */
  readonly handler?: 'start' | 'dom' | 'hrefs'
  /** How many hosts do this. Default 1. */
  readonly hosts?: number
  /** Of a flood, which is not played among the others. */
  readonly flood?: FloodBars
}

/** Requests that a host may get for one page that fails: robots.txt, attempts, and the probes of a host that may be down. */
export const MOST_REQUESTS = 12
