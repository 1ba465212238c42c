import { seedPassword } from '../support/visitor.ts'
import { createFormBrowser, type FormBrowser, type Page, type Visited } from './form-browser.ts'

export interface Person {
  readonly browser: FormBrowser
  readonly email: string
}

export function createPerson(origin: string, email: string): Person {
  return { browser: createFormBrowser(origin), email }
}

/**
 * Goes where a client sends a person, signs in where that is asked for, answers the consent page, and returns where the client
 * is told of it.
 */
export async function answerClient(
  { browser, email }: Person,
  address: URL,
  decision: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  let visited: Visited = await browser.open(address)
  for (let pages = 0; visited.kind === 'page'; pages++) {
    if (pages > 4) throw new Error(`the pages have no end, at last ${visited.url}`)
    visited = await browser.submit(visited, fieldsFor(visited, email, decision))
  }
  return visited.url
}

function fieldsFor({ url, status, text }: Page, email: string, decision: string): Readonly<Record<string, string>> {
  if (status !== 200) throw new Error(`${status} at ${url}: ${text}`)
  if (url.pathname === '/sign-in') return { email, password: seedPassword }
  if (url.pathname === '/consent') return { decision }
  throw new Error(`nothing is known about ${url}: ${text}`)
}
