// What a crawl saved, on a line: `3 files (1.2 MB) for 5 references, 1 failed`.
import { formatBytes } from '@avocet/core/tools'
import { formatCount, formatCountOf } from './quantity.ts'

/** What there is. */
interface SavedFiles {
  readonly rows: number
  readonly files: number
  readonly bytes: number
  readonly failed: number
  readonly more: boolean
}

/** The line, without a name. */
export function filesLine({ rows, files, bytes, failed, more }: SavedFiles): string {
  const references = rows === files ? '' : ` for ${formatCountOf(rows, 'reference')}`
  const failures = failed === 0 ? '' : `, ${formatCount(failed)} failed`
  return `${more ? 'at least ' : ''}${formatCountOf(files, 'file')} (${formatBytes(bytes)})${references}${failures}`
}
