// Every fail point by its name, and how a process gets there: one for each write of the command to disk, and the moments between them.
//
// A statement is named after what it writes (statement-point.ts), a call of the file system after its file, a moment in the life of a page after itself. A
// write that is not in this table fails the torture, and so does a line here that no process comes by.
import type { Work } from './job.ts'

/** What stands at a point. */
export type Door = 'statement' | 'file' | 'station'

/** How to get there. */
export interface Point {
  readonly door: Door
  readonly work: Work
  /** Where lives before this one are killed. */
  readonly after?: readonly string[]
  /** The machine's clock was set back before this life. */
  readonly rewound?: true
  /** A statement that fails first, with a full disk. */
  readonly failing?: string
}

const of =
  (door: Door, how: Omit<Point, 'door'>) =>
  (name: string): readonly [string, Point] => [name, { door, ...how }]

/** By name. */
export const POINTS: Readonly<Record<string, Point>> = Object.fromEntries([
  // Making a store, and signing in.
  ...['folder make', 'store open'].map(of('file', { work: 'crawl' })),
  ...[
    'pragma journal_mode',
    'begin',
    'create crawl',
    'insert crawl',
    'pragma application_id',
    'pragma user_version',
    'commit',
    'insert process',
  ].map(of('statement', { work: 'crawl' })),
  // Seeds and links.
  ...['insert request', 'insert extra', 'insert handler', 'insert host', 'insert span', 'update crawl.known'].map(
    of('statement', { work: 'crawl' }),
  ),
  ...['insert known', 'update crawl.indexed_up_to'].map(of('statement', { work: 'index' })),
  // Leases, beats and requests.
  ...['update host.ready_at', 'update process.heartbeat', 'update crawl.last_at'].map(of('statement', { work: 'crawl' })),
  ...['claimed', 'request sent', 'headers received', 'body received', 'answered'].map(of('station', { work: 'crawl' })),
  ...['in-progress open', 'in-progress write'].map(of('file', { work: 'crawl' })),
  ...['handler begun', 'item yielded', 'handler ended'].map(of('station', { work: 'crawl' })),
  // The commit of a turn.
  ...[
    'insert attempt',
    'insert trouble',
    'insert reason',
    'insert handler_error',
    'update reason.failed',
    'insert item',
    'insert reject',
    'insert record',
    'insert watched',
    'insert change',
    'insert item_age',
    'delete item_age',
    'insert delayed',
    'delete delayed',
    'update span.skip',
    'delete span',
    'insert host_memory',
    'insert crawl_memory',
  ].map(of('statement', { work: 'crawl' })),
  of('statement', { work: 'crawl', failing: 'insert item' })('rollback'),
  of('station', { work: 'crawl' })('settled'),
  // Pages that are visited again, and such as are tried again by hand.
  ...['insert visited', 'delete trouble', 'insert shown', 'delete shown'].map(of('statement', { work: 'again' })),
  of('statement', { work: 'asked' })('update crawl.run'),
  ...['insert orders', 'delete orders'].map(of('statement', { work: 'retry' })),
  // What a sink refused, and gets again.
  of('statement', { work: 'rejects' })('delete reject'),
  // After a death.
  ...['delete crawl_memory'].map(of('statement', { work: 'crawl', after: ['settled'] })),
  ...['insert death', 'delete death'].map(of('statement', { work: 'crawl', after: ['handler ended'] })),
  // After the machine's clock was set back.
  ...[
    'update delayed.not_before',
    'update host.due_at',
    'update host.probe_at',
    'update visited.due_at',
    'update visited.missing_since',
    'update process.hungry_at',
  ].map(of('statement', { work: 'crawl', after: ['settled'], rewound: true })),
  // Outputs.
  ...['output open', 'lock make', 'output cut', 'output write', 'output sync', 'lock remove'].map(of('file', { work: 'crawl' })),
  ...['insert sink', 'update sink.owner'].map(of('statement', { work: 'crawl' })),
  // The end.
  of('station', { work: 'crawl' })('closing'),
  ...['delete process', 'pragma wal_checkpoint'].map(of('statement', { work: 'crawl' })),
  of('file', { work: 'crawl' })('in-progress remove'),
])
