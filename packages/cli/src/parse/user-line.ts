// Where an error happened in code of the user's own: the first line of its stack that is neither Node's, nor a package's, nor ours.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const FRAME = /(?:^at (?:async )?|\()((?:file:\/\/)?\/[^()\n]+?):(\d+):(\d+)\)?$/

/** The folders that core and this command are in, whether as sources or built. */
const OURS: readonly string[] = [import.meta.resolve('@avocet/core'), import.meta.url].map((url) => {
  const path = fileURLToPath(url)
  return `${path.slice(0, path.lastIndexOf(path.includes('/dist/') ? '/dist/' : '/src/'))}/`
})

/** `/home/me/spider.ts:12:9`; undefined when no line is the user's. */
export function userLine(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  for (const line of stack.split('\n')) {
    const [, file, row, column] = FRAME.exec(line.trim()) ?? []
    if (file === undefined || row === undefined || column === undefined) continue
    const path = file.startsWith('file:') ? fileURLToPath(file) : file
    if (isUsers(path)) return `${path}:${row}:${column}`
  }
  return undefined
}

function isUsers(path: string): boolean {
  return !`${dirname(path)}/`.includes('/node_modules/') && !OURS.some((folder) => path.startsWith(folder))
}
