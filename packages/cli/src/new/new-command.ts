// `avocet new`: writes a spider or a plugin with its test into the project, over nothing that is there.
import { access, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { AvocetError, messageOf } from '@avocet/core'
import { writeDocument } from '../output/machines.ts'
import { print, say } from '../output/people.ts'
import type { Place } from '../place.ts'
import { newFiles, type NewFile } from './new-files.ts'
import type { NewOptions } from './new-options.ts'
import { notInstalled, projectFolder } from './project-folder.ts'

/** What the written tests import, in the versions that the contracts are made for. */
const FOR_TESTS = {
  spider: { vitest: '5.1.0', '@avocet/simulator': '' },
  plugin: { vitest: '5.1.0', 'fast-check': '4.10.2', '@avocet/testkit': '' },
} as const satisfies Readonly<Record<NewOptions['kind'], Readonly<Record<string, string>>>>

/** Writes the files, and prints their paths. */
export async function newCommand(options: NewOptions, { folder, stdout, stderr }: Place): Promise<void> {
  const project = await projectFolder(folder)
  const files = await newFiles(options)
  await checkMissing(files, project)
  for (const { path, text } of files) await write(join(project, path), text)
  const paths = files.map(({ path }) => relative(folder, join(project, path)))
  const { kind, name, json } = options
  if (json) await writeDocument(stdout, { schema: 1, kind, name, files: paths })
  else await print(stdout, paths)
  say(stderr, await nextSteps(options, project))
}

/** All or nothing: when one of them is there, none is written. */
async function checkMissing(files: readonly NewFile[], project: string): Promise<void> {
  for (const { path } of files)
    if (await exists(join(project, path)))
      throw new AvocetError('AVO_USAGE', `new: expected no file at ${join(project, path)}, found one; choose another name`)
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function write(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag: 'wx' })
  } catch (error) {
    throw new AvocetError('AVO_OUTPUT_UNWRITABLE', `new: expected to write ${path}, got ${messageOf(error)}`, { cause: error })
  }
}

async function nextSteps({ kind, name, camelName }: NewOptions, project: string): Promise<readonly string[]> {
  const wanted: Readonly<Record<string, string>> = FOR_TESTS[kind]
  const missing = await notInstalled(Object.keys(wanted), project)
  const install = missing.map((one) => (wanted[one] === '' ? one : `${one}@${wanted[one] ?? ''}`)).join(' ')
  return [
    ...(install === '' ? [] : [`its test needs what is not installed: npm install -D ${install}`]),
    kind === 'spider'
      ? `npx vitest run test/${name}.test.ts, then npx avocet crawl spiders/${name}.ts -O ${name}.jsonl`
      : `npx vitest run test/${name}-plugin.test.ts, then put it into avocet.config.ts: plugins: [..., ${camelName}()]`,
  ]
}
