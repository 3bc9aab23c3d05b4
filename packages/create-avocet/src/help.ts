// The help of `npm create avocet`: one screen, an example first.
import { OLDEST_NODE } from './node-version.ts'
import { TEMPLATE_NAMES, TEMPLATES } from './template.ts'

const templates = TEMPLATE_NAMES.map((name) => `  ${name.padEnd(13)} ${TEMPLATES[name].summary}`)

/** What `--help` prints. */
export const HELP: string = `npm create avocet my-crawl
npm create avocet my-crawl -- --template price-watch --yes

Makes a folder with a spider, its configuration, a test and a README. What is not said is asked on a
terminal; elsewhere, and with --yes, the first template and the defaults count.

Templates:
${templates.join('\n')}

Options:
  -t, --template NAME   which of them (${TEMPLATE_NAMES[0] ?? ''})
      --pin-node        the project brings its own Node.js along (default below ${OLDEST_NODE})
      --no-pin-node     it does not
      --from DIR        take Avocet's packages from DIR, where npm pack put them
  -y, --yes             ask nothing
  -h, --help            show this

Exit codes: 0 done, 2 wrong command line or a folder that is not empty, 7 cannot write,
69 this Node.js is too old, 130 Ctrl-C.
`
