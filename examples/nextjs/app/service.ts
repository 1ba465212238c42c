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

/** Who the visitor is. */
export async function currentState() {
  return auth.getState(await headers())
}

/** The data of a query, as the visitor may see it. */
export async function query<Data>(document: string, variables?: Record<string, unknown>): Promise<Data> {
  const { data } = await auth.request<Data>(await headers(), document, variables)
  return data
}

/**
 * The data of a mutation, for actions: they may set the cookies that the service sends. Leads a visitor whose session has
 * ended to the sign-in page, and back to `path`.
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
