// Runs outside of vitest, for that resolves and strips in a way of its own: loads each spider file named on the command line as the command
// does, and prints the messages as one JSON array.
import { messageOf } from '@avocet/core/store'
import { loadSpider } from '../../src/spiders/spider-files.ts'

const messages: string[] = []
for (const path of process.argv.slice(2)) {
  messages.push(
    await loadSpider(path, {}).then(
      ({ name }) => `loaded ${name}`,
      (error: unknown) => messageOf(error),
    ),
  )
}
console.log(JSON.stringify(messages))
