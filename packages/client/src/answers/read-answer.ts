import { AuthError, networkError } from '../errors.ts'

/** What the service says with a refusal. */
export interface Refusal {
  readonly code: string
  readonly field?: string
  readonly challenge?: string
  readonly factors?: readonly string[]
  readonly maxAgeSeconds?: number
}

interface ServiceError {
  readonly message: string
  readonly extensions?: Refusal
}

interface Answer<Data> {
  readonly data?: Data
  readonly errors?: readonly ServiceError[]
}

/** Returns the data of an answer; throws its first error as `AuthError`, and `NETWORK` if it is none of the service. */
export async function readData<Data>(response: Response): Promise<Data> {
  const answer = await readAnswer<Data>(response)
  const [error] = answer?.errors ?? []
  if (error) throw refusedError(error, response)
  if (!answer?.data) throw networkError(null, response)
  return answer.data
}

function refusedError({ message, extensions }: ServiceError, response: Response): AuthError {
  return new AuthError(extensions?.code ?? 'INTERNAL_SERVER_ERROR', message, response, extensions?.field, {
    cause: extensions,
  })
}

/** Returns what a refusal says, and leaves its body to others. */
export async function readRefusal(response: Response): Promise<Refusal | undefined> {
  if (response.status !== 401 && response.status !== 403) return undefined
  return (await readAnswer(response.clone()))?.errors?.[0]?.extensions
}

async function readAnswer<Data>(response: Response): Promise<Answer<Data> | null> {
  try {
    return await response.json()
  } catch {
    return null
  }
}
