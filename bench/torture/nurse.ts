// A process that lives: one life, for the job in the file that it is given, or as many as it is asked for by messages, which can be cut but not killed.
import { readFileSync } from 'node:fs'
import { watchFiles } from './file-door.ts'
import type { Job } from './job.ts'
import { Life } from './life.ts'
import { watchStatements } from './statement-door.ts'

let life: Life | undefined
const lifeOf = (path: string): Life | undefined => (life !== undefined && path.startsWith(life.job.folder) ? life : undefined)
watchStatements((path) => lifeOf(path)?.points)
await watchFiles(lifeOf)

const [jobPath] = process.argv.slice(2)
if (jobPath === undefined) {
  process.on('message', (job: Job) => void answer(job))
} else {
  const { code, error, trace } = await lived(JSON.parse(readFileSync(jobPath, 'utf8')) as Job)
  console.error(error)
  const { writeFileSync } = await import('node:fs')
  writeFileSync(jobPath.replace('.job.json', '.trace.json'), JSON.stringify(trace))
  process.exit(code ?? 1)
}

async function answer(job: Job): Promise<void> {
  process.send?.(await lived(job))
  // A life that was cut never lets go of them.
  for (const name of ['SIGINT', 'SIGTERM', 'unhandledRejection']) process.removeAllListeners(name)
  for (const name of ['SIGINT', 'unhandledRejection']) process.on(name, () => {})
}

function lived(job: Job): ReturnType<Life['live']> {
  life = new Life(job)
  return life.live()
}
