import { AuthError } from '@latchkey/client'
import { createServerAuth } from '@latchkey/client/server'
import { parseSetCookie } from 'cookie'
import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'

interface User {
  readonly id: string
  readonly name: string
  readonly role: string
}

const service = process.env.SERVICE_URL ?? 'http://127.0.0.1:4000'
const auth = createServerAuth<User>({ url: `${service}/graphql`, userFields: 'id name role' })

/** Returns the visitor's state: signed in, with the user, or signed out. */
export async function currentState() {
  return auth.getState(await headers())
}

/** The data of a query, as the visitor may see it. */
export async function query<Data>(document: string, variables?: Record<string, unknown>): Promise<Data> {
  const { data } = await auth.request<Data>(await headers(), document, variables)
  return data
}

/**
 * Runs a mutation and returns its data. For server actions: they may set the cookies that the service sends. If the session
 * has expired, redirects the visitor to the sign-in page, and from there to `path`.
 */
export async function mutate<Data>(path: string, document: string, variables: Record<string, unknown>): Promise<Data> {
  try {
    const { data, setCookies } = await auth.request<Data>(await headers(), document, variables)
    const jar = await cookies()
    for (const line of setCookies) {
      const { value = '', ...cookie } = parseSetCookie(line)
      jar.set({ value, ...cookie })
    }
    return data
  } catch (error) {
    if (!(error instanceof AuthError) || error.code !== 'UNAUTHENTICATED') throw error
    redirect(`/sign-in?return_to=${encodeURIComponent(path)}`)
  }
}
