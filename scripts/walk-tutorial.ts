// Does what a reader of docs/tutorial.md does: packs the packages as it tells, then saves each file and types each command in an empty folder elsewhere.
//
// `node scripts/walk-tutorial.ts [--keep]`, after a build, with the machine's own Node. The commands, the files, what is replaced, and the output that is
// compared come from the text as it stands. Prints each command with its seconds; ends with 1 when one fails, or prints other than what the text shows.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { toldOptions } from '../bench/told-options.ts'
import { ROOT } from '../test/documents/code-blocks.ts'
import { missingLine, readerSteps, replacementsOf, typed } from '../test/documents/reader-steps.ts'
import { run, secondsSince, systemPath, versionOf } from './as-a-stranger.ts'

const TUTORIAL = 'docs/tutorial.md'

const { values } = toldOptions('walk', { options: { keep: { type: 'boolean', default: false } } })
const place = mkdtempSync(join(tmpdir(), 'avocet-tutorial-'))
const packs = join(ROOT, 'packs')
try {
  walk()
} finally {
  rmSync(packs, { recursive: true, force: true })
  if (values.keep) console.log(`left at ${place}`)
  else rmSync(place, { recursive: true, force: true })
}

function walk(): void {
  const replacements = replacementsOf(TUTORIAL, ROOT)
  rmSync(packs, { recursive: true, force: true })
  // This is a clone with everything installed.
  const pack = replacements.inClone.replace(/^npm ci && /, '')
  run(pack, ['bash', '-c', pack], { folder: ROOT, path: process.env['PATH'] ?? '' })
  const path = systemPath()
  console.log(`\n# ${TUTORIAL}, Node ${versionOf({ path })}`)
  const from = performance.now()
  let folder = place
  let commands = 0
  for (const step of readerSteps(TUTORIAL)) {
    if (step.kind === 'save') {
      mkdirSync(dirname(join(folder, step.path)), { recursive: true })
      writeFileSync(join(folder, step.path), step.text)
    } else if (step.command.startsWith('cd ')) folder = join(folder, step.command.slice(3))
    else {
      const said = run(step.command, ['bash', '-c', `${typed(step.command, replacements)} 2>&1`], { folder, path })
      const missing = missingLine(step.shown ?? [], said)
      if (missing !== undefined)
        throw new Error(`${TUTORIAL}:${String(step.line)}: expected '${missing}' from ${step.command}, got\n${said}`)
      commands += 1
    }
  }
  if (commands < 10) throw new Error(`expected at least 10 commands in ${TUTORIAL}, found ${String(commands)}`)
  console.log(`  ${String(commands)} commands in ${secondsSince(from)} s`)
}
