import { AuthError, clientError } from '../errors.ts'

/** The details of a refusal of the service. */
export interface Refusal {
  readonly code: string
  readonly field?: string
  readonly challenge?: string
  readonly factors?: readonly string[]
  readonly maxAgeSeconds?: number
}

interface Answer<Data> {
  readonly data?: Data
  readonly errors?: readonly { readonly message: string; readonly extensions?: Refusal }[]
}

/** Returns the data of an answer; throws its first error as `AuthError`, `NETWORK` if the answer is not of the service. */
export async function readData<Data>(response: Response): Promise<Data> {
  const answer: Answer<Data> | null = await response.json().catch(() => null)
  for (const { message, extensions } of answer?.errors ?? [])
    throw new AuthError(extensions?.code ?? 'INTERNAL_SERVER_ERROR', message, response, extensions)
  if (!answer?.data) throw clientError('NETWORK', response)
  return answer.data
}

/** Returns the details of a refusal. The body of the response stays readable. */
export async function readRefusal(response: Response): Promise<Partial<Refusal>> {
  return response.ok ? {} : readData<object>(response.clone()).catch(({ cause = {} }) => cause)
}
