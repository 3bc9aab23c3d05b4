// The spider of the kill tests: every page of the sites that `-a seeds=URL,URL` names, one item each; `-a poison=PATH` kills the process.
import { spider, type Spider } from '@avocet/core'

interface Visited {
  readonly url: string
  readonly title: string
  readonly depth: number
}

export default ({ seeds = '', poison = '' }: Readonly<Record<string, string>>): Spider<Visited> =>
  spider({
    name: 'kill',
    seeds: seeds.split(','),
    handlers: {
      *start(page) {
        if (page.url.pathname === poison) process.kill(process.pid, 'SIGKILL')
        yield { url: page.url.href, title: page.title, depth: page.request.depth }
        yield* page.links()
      },
    },
  })
