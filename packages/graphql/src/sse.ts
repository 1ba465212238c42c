export {
  createStreamHandler,
  type StreamHandler,
  type StreamHandlerOptions,
} from './subscriptions/create-stream-handler.ts'
