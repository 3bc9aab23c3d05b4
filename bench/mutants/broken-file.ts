// Loaded before all else by each process of a test run: hands out the broken text of one file in its place. Nothing is written to the working tree.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const { AVOCET_MUTANT: path } = process.env
if (path !== undefined) {
  const { url, text } = JSON.parse(readFileSync(path, 'utf8')) as { readonly url: string; readonly text: string }
  registerHooks({
    load: (loaded, context, next) =>
      loaded === url ? { format: 'module-typescript', source: text, shortCircuit: true } : next(loaded, context),
  })
}
