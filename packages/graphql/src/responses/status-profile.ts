import type { ResponseMediaType } from './negotiate-media-type.ts'

/**
 * Which statuses an endpoint answers where the specifications leave a choice or are about to change. Both refuse access
 * with the same statuses; they differ in the answers to broken documents, and to partly failed operations.
 */
export type StatusProfile = 'compatible' | 'draft-2026'

const profiles: readonly unknown[] = ['compatible', 'draft-2026'] satisfies StatusProfile[]

/** @throws TypeError when the option is neither profile. */
export function readStatusProfile(given: StatusProfile = 'compatible'): StatusProfile {
  if (!profiles.includes(given)) throw new TypeError('"statusProfile" must be "compatible" or "draft-2026"')
  return given
}

/** Returns the status of an answer that has both `data` and `errors` (the draft of 2026-08-06, section Status Codes). */
export function statusOfPartial(profile: StatusProfile, isDataLost: boolean): number {
  if (profile === 'draft-2026') return 294
  return isDataLost ? 500 : 200
}

/**
 * Returns the media type of an answer. By the draft, `application/json` is for what a client that knows nothing else may
 * trust: successes; such a client reads everything else by its status, whatever the body is (section Body).
 */
export function mediaTypeOf(
  status: number,
  { mediaType, profile }: { readonly mediaType: ResponseMediaType; readonly profile: StatusProfile },
): ResponseMediaType {
  return profile === 'draft-2026' && status >= 300 ? 'application/graphql-response+json' : mediaType
}
