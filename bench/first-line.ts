// What a process of a benchmark says on its first line: the port that it serves at, or its figures.
import { createInterface } from 'node:readline'

/** Empty when it ended without one. */
export async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line
  return ''
}
