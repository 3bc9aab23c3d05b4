// Status line and header fields as HTTP/1.1 writes them, for a person or `grep`.
import { STATUS_CODES } from 'node:http'
import type { ResponseHead } from '@avocet/core'
import { printable } from '../text/printable.ts'

/** Lines, without the blank one at the end. Names in lower case, as they are kept. */
export function headLines({ status, headers }: ResponseHead): string[] {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${printable(name)}: ${printable(one)}`),
  )
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(), ...fields]
}
