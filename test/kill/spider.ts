// The spider of the kill tests: every page of the sites that `-a seeds=URL,URL` names, one item each; `-a poison=PATH` kills the process.
import { spider, type Spider } from 'avocet'

interface Visited {
  readonly url: string
  readonly title: string
}

export default ({ seeds = '', poison = '' }: Readonly<Record<string, string>>): Spider<Visited> =>
  spider({
    name: 'kill',
    seeds: seeds.split(','),
    handlers: {
      *start(page) {
        if (page.url.pathname === poison) process.kill(process.pid, 'SIGKILL')
        // Not its depth: by which of two ways a page was found first is chance, where a kill makes a page that leads to it come later.
        yield { url: page.url.href, title: page.title }
        yield* page.links()
      },
    },
  })
