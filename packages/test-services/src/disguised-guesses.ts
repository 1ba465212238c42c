/** A guess at a password as an HTTP request. */
export interface SentGuess {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface PlainGuess {
  readonly email: string
  readonly password: string
  /** Of the client, as a trusted proxy names it. */
  readonly address: string
  /** The origin of the service's own pages. */
  readonly publicUrl: string
}

/** A way to write the same guess so that a limit might not know it again. */
export interface Disguise {
  readonly title: string
  /** Writes the guess in the way of this number: each one is another way. */
  write(guess: PlainGuess, index: number): SentGuess
}

const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { status } }'

/** The guess as an application sends it. */
export function plainGuess(
  { email, password, address }: PlainGuess,
  { query = signIn, path = '/graphql', members = {} }: { query?: string; path?: string; members?: object } = {},
): SentGuess {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json',
    'x-forwarded-for': address,
  }
  return { path, headers, body: JSON.stringify({ query, variables: { input: { email, password } }, ...members }) }
}

function emailDisguise(title: string, spellings: readonly ((email: string) => string)[]): Disguise {
  return {
    title,
    write: (guess, index) =>
      plainGuess({ ...guess, email: spellings[index % spellings.length]?.(guess.email) ?? guess.email }),
  }
}

const upTo = (email: string, index: number): string => email.slice(0, index).toUpperCase() + email.slice(index)
const fullWidth = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0))
const domainAs = (write: (domain: string) => string) => (email: string) =>
  email.replace(/@.*$/, (domain) => `@${write(domain.slice(1))}`)

/** A form of the service's own page. */
function formGuess(
  { email, password, address, publicUrl }: PlainGuess,
  others: Readonly<Record<string, string>>,
): SentGuess {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    origin: publicUrl,
    'sec-fetch-site': 'same-origin',
    'sec-fetch-mode': 'navigate',
    'x-forwarded-for': address,
  }
  return { path: '/sign-in', headers, body: new URLSearchParams({ email, password, ...others }).toString() }
}

const queries: readonly string[] = [
  'mutation One($input: SignInInput!) { signIn(input: $input) { status } }',
  'mutation Two($input: SignInInput!) { other: signIn(input: $input) { status } }',
  'mutation Three($input: SignInInput!) { signIn(input: $input) { __typename one: status two: status } }',
  'mutation Four($input: SignInInput!) { ...hidden } fragment hidden on Mutation { third: signIn(input: $input) { status } }',
  '# five\nmutation Five($input: SignInInput!) { ... on Mutation { signIn(input: $input) @include(if: true) { status } } }',
]

/** Each disguise of a guess has at least five ways to write it. */
export const disguises: readonly Disguise[] = [
  emailDisguise(
    'the case of the address',
    [1, 3, 5, 7, 30].map((index) => (email: string) => upTo(email, index)),
  ),
  emailDisguise('white space around the address', [
    (email) => ` ${email}`,
    (email) => `${email}\n`,
    (email) => `\t${email}  `,
    (email) => `\u00a0${email}`,
    (email) => `${email}\u3000`,
  ]),
  emailDisguise('the letters and dots of its domain', [
    domainAs(fullWidth),
    domainAs((domain) => domain.replace('.', '\u3002')),
    domainAs((domain) => domain.replace('.', '\uff0e')),
    domainAs((domain) => domain.replace('.', '\uff61')),
    domainAs((domain) => fullWidth(domain.slice(0, 2)).toUpperCase() + domain.slice(2)),
  ]),
  {
    title: 'aliases, fragments, names and comments of the operation',
    write: (guess, index) => plainGuess(guess, { query: queries[index % queries.length] ?? signIn }),
  },
  {
    title: 'further members of the request, and of the URL',
    write: (guess, index) =>
      plainGuess(guess, {
        path: `/graphql?turn=${index}`,
        members: { extensions: { turn: index }, [`turn${index}`]: index },
      }),
  },
  {
    title: 'the page and further fields of its form',
    write: (guess, index) =>
      index % 2 === 0 ? formGuess(guess, { [`turn${index}`]: String(index) }) : plainGuess(guess),
  },
  {
    title: 'addresses within one /64 of IPv6',
    write: (guess, index) =>
      plainGuess({ ...guess, address: `2001:db8:${hexOf(guess.email)}::${index + 1}:${7 * index}` }),
  },
  {
    title: 'an IPv4 address that is written as one of IPv6',
    write(guess, index) {
      const parts = guess.address.split('.').map(Number)
      const [high, low] = [0, 2].map((from) => (((parts[from] ?? 0) << 8) | (parts[from + 1] ?? 0)).toString(16))
      const written = [
        guess.address,
        `::ffff:${guess.address}`,
        `::FFFF:${high}:${low}`,
        `0:0:0:0:0:ffff:${high}:${low}`,
        `[::ffff:${guess.address}]:${50_000 + index}`,
      ]
      return plainGuess({ ...guess, address: written[index % written.length] ?? guess.address })
    },
  },
  {
    title: 'addresses that the client puts before its own',
    write: (guess, index) =>
      plainGuess({ ...guess, address: `203.0.113.${index}, 2001:db8::${index}, ${guess.address}` }),
  },
]

/** Returns two groups of an IPv6 address, different for each account. */
function hexOf(text: string): string {
  let hash = 0
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 2 ** 32
  return `${(hash >>> 16).toString(16)}:${(hash & 0xffff).toString(16)}`
}
