import type { ResponseMediaType } from './negotiate-media-type.ts'

/**
 * The statuses of an endpoint in cases that the specifications leave open or are about to change. Both profiles refuse
 * access with the same statuses. They differ in the answers to invalid documents and to partly failed operations.
 */
export type StatusProfile = 'compatible' | 'draft-2026'

const profiles: readonly unknown[] = ['compatible', 'draft-2026'] satisfies StatusProfile[]

/** @throws TypeError if the option is neither profile. */
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
 * Returns the media type of an answer. In the draft, only successes may be `application/json`, because clients trust
 * its body. Such clients read other answers by their status, whatever the body is (section Body).
 */
export function mediaTypeOf(
  status: number,
  { mediaType, profile }: { readonly mediaType: ResponseMediaType; readonly profile: StatusProfile },
): ResponseMediaType {
  return profile === 'draft-2026' && status >= 300 ? 'application/graphql-response+json' : mediaType
}
