/** The first page: JSON is YAML, which VitePress reads. */
export function homePage() {
  return `---\n${JSON.stringify({ layout: 'home', hero, features }, null, 2)}\n---\n`
}

const hero = {
  name: 'Latchkey',
  text: 'Auth for GraphQL services in TypeScript',
  tagline:
    'Accounts, sign-in, second factors, passkeys, roles and ownership. ' +
    'A complete service in one function, or one package in a server of your own.',
  actions: [
    { theme: 'brand', text: 'Start', link: '/start' },
    { theme: 'alt', text: 'Guides', link: '/contents#guides' },
    { theme: 'alt', text: 'Contents', link: '/contents' },
  ],
}

const features = [
  {
    title: 'Every field has a rule',
    details:
      'A service with a field that has none does not start, and the error names the field. ' +
      '401 and 403 are decided before a resolver runs.',
    link: '/packages/graphql/',
  },
  {
    title: 'Exactly once',
    details:
      'A refresh token, a code or a link has one winner under any concurrency. ' +
      'A test kit proves this for a store of your own.',
    link: '/packages/store/',
  },
  {
    title: 'No way around a check',
    details: 'All ways to sign in pass one state machine. Aliases and batches give no further guesses.',
    link: '/sign-in',
  },
  {
    title: 'No waiting for hashes',
    details: 'Passwords are hashed off the event loop. A burst of sign-ins does not slow other requests.',
    link: '/benchmarks',
  },
]
