// What is not on the command line is asked on a terminal, one line a question; elsewhere, and with --yes, the defaults count.
import { createInterface } from 'node:readline/promises'
import { isNewEnough, OLDEST_NODE } from './packages.ts'
import { printLine, type Surroundings } from './surroundings.ts'
import { targetFolder, type Options } from './options.ts'
import { TEMPLATE_NAMES, TEMPLATES, type TemplateName } from './project-files.ts'
import { suggestionFor, UsageError } from './usage-error.ts'

const FOLDER = 'my-crawl'

/** Everything decided. */
export interface Answers {
  readonly folder: string
  readonly template: TemplateName
  readonly pinNode: boolean
}

/** Ctrl-C or the end of the input at a question: nothing more is to be said. */
export class SilencedError extends Error {}

/**
 * The answers that `options` leave open.
 *
 * @throws UsageError without a folder where nobody can be asked; SilencedError for a question without an answer.
 */
export async function answersTo(options: Options, around: Surroundings): Promise<Answers> {
  const { folder, template, pinNode, yes } = options
  const isOld = !isNewEnough(around.nodeVersion)
  if (yes || !around.stdin.isTTY || !around.stderr.isTTY) {
    if (folder === undefined && !yes) throw new UsageError(`expected a folder, got nothing; try npm create avocet ${FOLDER}`)
    return { folder: folder ?? FOLDER, template: template ?? 'basic', pinNode: pinNode ?? (yes && isOld) }
  }
  const asked = new Asked(around)
  try {
    return {
      folder: folder ?? (await asked.folder()),
      template: template ?? (await asked.template()),
      pinNode: pinNode ?? (isOld && (await asked.pinNode())),
    }
  } finally {
    asked.close()
  }
}

class Asked {
  readonly #around: Surroundings
  readonly #lines: ReturnType<typeof createInterface>
  readonly #gone = new AbortController()

  constructor(around: Surroundings) {
    this.#around = around
    this.#lines = createInterface({ input: around.stdin, output: around.stderr, terminal: true })
    this.#lines.once('close', () => this.#gone.abort())
  }

  close(): void {
    this.#lines.close()
  }

  async folder(): Promise<string> {
    return this.#until(`Folder (${FOLDER}): `, (answer) => {
      const folder = answer === '' ? FOLDER : answer
      targetFolder(folder, this.#around.folder)
      return folder
    })
  }

  async template(): Promise<TemplateName> {
    const list = TEMPLATE_NAMES.map((name, n) => `  ${String(n + 1)} ${name.padEnd(13)} ${TEMPLATES[name].summary}\n`)
    printLine(this.#around.stderr, `Templates:\n${list.join('')}`)
    return this.#until('Template (1): ', (answer) => {
      const name = answer === '' ? TEMPLATE_NAMES[0] : (TEMPLATE_NAMES[Number(answer) - 1] ?? answer)
      const template = TEMPLATE_NAMES.find((known) => known === name)
      if (template === undefined)
        throw new UsageError(`expected a name or a number from 1 to 4, got '${answer}'${suggestionFor(answer, TEMPLATE_NAMES)}`)
      return template
    })
  }

  async pinNode(): Promise<boolean> {
    printLine(this.#around.stderr, `Avocet needs Node.js ${OLDEST_NODE} or newer, this is ${this.#around.nodeVersion}.\n`)
    return this.#until('Bring a newer one along with the project, as a package? (Y/n): ', (answer) => {
      if (/^(?:y(?:es)?)?$/i.test(answer)) return true
      if (/^no?$/i.test(answer)) return false
      throw new UsageError(`expected y or n, got '${answer}'`)
    })
  }

  /** Asks until `read` takes the answer. */
  async #until<Answer>(question: string, read: (answer: string) => Answer): Promise<Answer> {
    for (;;) {
      const answer = await this.#answerTo(question)
      try {
        return read(answer)
      } catch (error) {
        if (!(error instanceof UsageError)) throw error
        printLine(this.#around.stderr, `${error.message}\n`)
      }
    }
  }

  async #answerTo(question: string): Promise<string> {
    try {
      return (await this.#lines.question(question, { signal: this.#gone.signal })).trim()
    } catch (error) {
      throw new SilencedError('there was no answer', { cause: error })
    }
  }
}
