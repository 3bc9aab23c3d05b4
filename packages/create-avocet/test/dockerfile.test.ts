// The Dockerfile of a new project: a linter finds nothing, it runs without root, and what it names is there.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { emptyPlace } from './surroundings.ts'

/** Instruction and rest of each line, without comments. */
function instructionsOf(text: string): readonly (readonly [string, string])[] {
  return text
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => [line.split(' ')[0] ?? '', line.slice(line.indexOf(' ') + 1)] as const)
}

async function dockerfileOf(
  project: string,
): Promise<{ text: string; ignored: readonly string[]; has: (path: string) => boolean }> {
  const place = emptyPlace()
  place.create([project])
  const read = (name: string): string => readFileSync(join(place.folder, project, name), 'utf8')
  const files = place.files(project)
  const answer = {
    text: read('Dockerfile'),
    ignored: read('.dockerignore').split('\n'),
    has: (path: string) => files.includes(path),
  }
  place[Symbol.dispose]()
  return answer
}

describe('the Dockerfile of a new project', () => {
  it('has nothing that a linter warns of', async () => {
    const { text } = await dockerfileOf('birds')

    expect(validate(text).map(({ message }) => message)).toEqual([])
  })

  it('is found wanting by that linter when an instruction is misspelled', () => {
    expect(validate('FROM node:24-slim\nENTRYPONT ["avocet"]\n')).not.toEqual([])
  })

  it('runs the crawl without root, as the first process, and keeps what it writes in a volume', async () => {
    const { text } = await dockerfileOf('birds')

    const last = new Map(instructionsOf(text))
    expect(last.get('USER')).toBe('node')
    expect(last.get('VOLUME')).toBe('/app/.avocet')
    expect(last.get('ENTRYPOINT')).toBe('["avocet"]')
    expect(last.get('CMD')).toBe('["crawl", "-O", ".avocet/items.jsonl"]')
    expect(last.get('HEALTHCHECK')).toContain('CMD ["avocet", "status", "--check", "--within", "2m"]')
    expect(text.indexOf('USER node')).toBeGreaterThan(text.indexOf('chown node:node .avocet'))
  })

  it('is built for a Node that Avocet supports, and copies no store, no secrets and no modules of this machine', async () => {
    const { text, ignored, has } = await dockerfileOf('birds')

    const versions = [...text.matchAll(/^FROM node:(\d+)/gm)].map(([, major]) => Number(major))
    expect(versions).toEqual([24, 24])
    expect(ignored).toEqual(expect.arrayContaining(['**/node_modules', '.avocet', '**/.env*']))
    expect(has('package.json')).toBe(true)
    expect(existsSync(new URL('../templates/_project/Dockerfile', import.meta.url))).toBe(true)
  })
})
