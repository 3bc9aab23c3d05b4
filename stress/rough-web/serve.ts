// The command that serves a rough web in a process of its own, so that a crawl can be killed without its servers, and measured without them.
//
// `node serve.ts --world rough-forty [--port 0] [--log FILE]`, or `--spec FILE` with a model as JSON. Prints one line of JSON (`ServedWorld`)
// and serves until it gets SIGTERM or SIGINT, or until the pipe that is its standard input ends: a server never outlives the process that started it. Of no
// pipe (a script's background job has /dev/null, a shell's the terminal) the end says nothing.
import { closeSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { siteModel, WORLDS, type ModelSpec, type SiteModel } from '@avocet/simulator'
import { startRoughWeb } from './rough-web.ts'
import type { ServedRequest } from './served-log.ts'

/** What the command prints when it is ready. */
export interface ServedWorld {
  readonly port: number
  readonly hosts: readonly { readonly name: string; readonly base: string; readonly seeds: readonly string[] }[]
}

async function serve(): Promise<void> {
  const { values } = parseArgs({
    options: { world: { type: 'string' }, spec: { type: 'string' }, port: { type: 'string' }, log: { type: 'string' } },
  })
  const file = values.log === undefined ? undefined : openSync(values.log, 'a')
  const web = await startRoughWeb(modelOf(values), {
    port: Number(values.port ?? 0),
    log(host, { at, path, status, endedAt = at }, agent) {
      if (file === undefined) return
      // Written at once: readers of the file must not depend on this process ending well.
      writeSync(file, `${JSON.stringify({ at, endedAt, host, path, status, agent } satisfies ServedRequest)}\n`)
    },
  })
  const hosts = web.model.hosts.map(({ name }) => ({ name, base: web.urlOf(name), seeds: web.model.seeds(name) }))
  console.log(JSON.stringify({ port: web.port, hosts } satisfies ServedWorld))

  const leave = (): void => {
    void web.close().then(() => {
      if (file !== undefined) closeSync(file)
      process.exit(0)
    })
  }
  const input = fstatSync(process.stdin.fd)
  if (input.isFIFO() || input.isSocket()) process.stdin.on('end', leave).on('close', leave).resume()
  process.once('SIGTERM', leave).once('SIGINT', leave)
}

function modelOf({ world, spec }: { world?: string | undefined; spec?: string | undefined }): SiteModel {
  if (spec !== undefined) return siteModel(JSON.parse(readFileSync(spec, 'utf8')) as ModelSpec)
  const make = WORLDS[world ?? '']
  if (make !== undefined) return make()
  throw new AvocetError(
    'AVO_USAGE',
    `expected --world ${Object.keys(WORLDS).join('|')} or --spec FILE, got --world ${world ?? ''}`,
  )
}

try {
  await serve()
} catch (error) {
  console.error(`rough web: ${messageOf(error)}`)
  process.exit(2)
}
