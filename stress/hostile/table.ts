// The table of hostile behaviours, all of it: those of one host each, and the floods of many.
import type { HostileRow } from './hostile-row.ts'
import { CODING_ROWS } from './rows/coding.ts'
import { CONNECTION_ROWS } from './rows/connection.ts'
import { FLOOD_ROWS } from './rows/floods.ts'
import { FRAMING_ROWS } from './rows/framing.ts'
import { HEAD_ROWS } from './rows/head.ts'
import { HTTP2_ROWS } from './rows/http2.ts'
import { INSIDE_ROWS } from './rows/inside.ts'
import { MARKUP_ROWS } from './rows/markup.ts'
import { NAME_ROWS } from './rows/names.ts'
import { PACE_ROWS } from './rows/pace.ts'
import { REDIRECT_ROWS } from './rows/redirects.ts'
import { ROBOTS_ROWS } from './rows/robots.ts'
import { TEXT_ROWS } from './rows/text.ts'
import { TLS_ROWS } from './rows/tls.ts'
import { TRAP_ROWS } from './rows/traps.ts'

/** Behaviours that are played all at once. */
export const HOSTILE_ROWS: readonly HostileRow[] = [
  ...CONNECTION_ROWS,
  ...TLS_ROWS,
  ...HTTP2_ROWS,
  ...HEAD_ROWS,
  ...FRAMING_ROWS,
  ...CODING_ROWS,
  ...REDIRECT_ROWS,
  ...ROBOTS_ROWS,
  ...INSIDE_ROWS,
  ...NAME_ROWS,
  ...MARKUP_ROWS,
  ...TEXT_ROWS,
  ...TRAP_ROWS,
  ...PACE_ROWS,
]

/** Behaviours of many hosts, each of which is played for itself. */
export const HOSTILE_FLOODS: readonly HostileRow[] = FLOOD_ROWS
