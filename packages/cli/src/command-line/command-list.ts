// Which commands there are, and what each is for: all that `avocet --help` needs, so that it loads none of them.

/** In the order in which help lists them; `help` itself is in its last words. */
export const COMMAND_LIST = [
  {
    title: 'Crawl',
    commands: {
      crawl: 'Crawl with a spider, or URLs',
      check: 'Check whether a crawl would run, without crawling',
      status: 'Show the progress of a crawl, also while it runs',
      ui: 'Watch crawls in a browser, running or at rest',
      report: 'Report what a crawl did, and how it treated each host',
      export: 'Write all items of a crawl',
      files: 'List or export the files that a crawl saved',
    },
  },
  {
    title: 'Write a spider',
    commands: {
      new: 'Create a spider or a plugin, with its test, in this project',
      list: 'List the spiders of this project',
      fetch: 'Fetch one page the way a crawl would',
      parse: 'Run a handler on one page, fetched or recorded',
      replay: 'Run the handlers over kept responses, without a request',
      shell: 'Try selectors and handlers on a page interactively',
      simulate: 'Simulate a crawl against a model of the web, on virtual time',
    },
  },
  {
    title: 'Steer a crawl, also while it runs',
    commands: {
      pause: 'Pause a crawl',
      resume: 'Resume a crawl that was paused',
      stop: 'Stop all processes of a crawl',
      host: 'Pause, limit or relearn one host',
      add: 'Add URLs to a crawl',
    },
  },
  {
    title: 'Find out what happened, and correct it',
    commands: {
      hosts: 'List the hosts of a crawl',
      why: 'Explain what is holding back a host or a URL',
      dlq: 'List, retry or drop failed pages',
      rejects: 'List or retry items that the schema or a sink refused',
      scope: 'List URL patterns that the crawl closed, and open them again',
      config: 'Show the configuration of a crawl, and where each value comes from',
    },
  },
  {
    title: 'Look after a store',
    commands: {
      backup: 'Copy a store, also while it is crawled',
      compact: 'Make the file of a resting store smaller',
      move: 'Move a resting crawl to another store, in a file or on a server',
      verify: 'Check the file and the contents of a store for damage',
    },
  },
] as const
