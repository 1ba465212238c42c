// @internal: changes in any release.

export { createMetadataClientReader } from './server/metadata-clients/create-metadata-client-reader.ts'
export type {
  MetadataClientDocument,
  MetadataClientReader,
  MetadataClientReading,
} from './server/metadata-clients/metadata-client-reader.ts'
