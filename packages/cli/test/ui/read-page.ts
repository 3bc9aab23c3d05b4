// Reads the page of a running command as a browser does, without one: it is let in by the link, wishes for views, and keeps what it is sent.
import type { ChildProcess } from 'node:child_process'

/** Which view; `key`: the host. */
interface Wish {
  readonly view: 'now' | 'hosts' | 'host'
  readonly crawl: string
  readonly key?: string
}

/** What was sent, by name of part. */
export type ShownParts = Readonly<Record<string, unknown>>

/** A page that is open. */
export interface OpenPage extends AsyncDisposable {
  /** Shows a view until what it has been sent of it is as `isThere` says, and returns that. */
  shown(wish: Wish, isThere: (parts: ShownParts) => boolean): Promise<ShownParts>
}

interface Frame {
  readonly wish: number
  readonly set: ShownParts
  readonly gone: readonly string[]
}

/** Waits for the link that a command prints. */
export function linkOf(child: ChildProcess): Promise<string> {
  return new Promise((done) => {
    let text = ''
    const heard = (piece: Buffer): void => {
      text += piece.toString()
      const [link] = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+/.exec(text) ?? []
      if (link !== undefined) done(link)
    }
    child.stdout?.on('data', heard)
    child.stderr?.on('data', heard)
  })
}

/** Opens it. */
export async function openPage(link: string): Promise<OpenPage> {
  const { origin } = new URL(link)
  const letIn = await fetch(link, { redirect: 'manual' })
  const headers = { cookie: letIn.headers.get('set-cookie')?.split(';')[0] ?? '' }
  const leaving = new AbortController()
  const events = eventsOf(await fetch(`${origin}/events`, { headers, signal: leaving.signal }))
  const { client } = (await events.next()).value as { readonly client: string }
  let number = 0
  return {
    async shown(wish, isThere) {
      const body = JSON.stringify({ client, number: ++number, wish })
      await fetch(`${origin}/wish`, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body })
      let parts: ShownParts = {}
      // The end of the command cuts the connection.
      const next = (): ReturnType<typeof events.next> => events.next().catch(() => ({ done: true, value: undefined }))
      for (let event = await next(); event.done !== true; event = await next()) {
        const { wish: of, set, gone } = event.value as Frame
        if (of !== number) continue
        parts = Object.fromEntries(Object.entries({ ...parts, ...set }).filter(([name]) => !gone.includes(name)))
        if (isThere(parts)) return parts
      }
      throw new Error(`expected the page to go on, got its end with ${JSON.stringify(parts)}`)
    },
    async [Symbol.asyncDispose]() {
      leaving.abort()
      await events.return(undefined).catch(() => undefined)
    },
  }
}

/** The data of each event. */
async function* eventsOf({ body }: Response): AsyncGenerator<unknown, undefined> {
  if (body === null) return
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true })
    const whole = text.split('\n\n')
    text = whole.pop() ?? ''
    for (const event of whole) {
      const [, data] = /^data: (.*)$/m.exec(event) ?? []
      if (data !== undefined) yield JSON.parse(data)
    }
  }
}
