import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import { Conversation } from '../../chat/conversation.tsx'
import { useChat } from '../../chat/use-chat.ts'

const QUESTION = 'Hello there! What happens to all my words here?'

interface FirstAnswerProps {
  readonly apiKey: string
  readonly onAnswer: () => void
}

/** One question with the new key, and its answer. */
export function FirstAnswer({ apiKey, onAnswer }: FirstAnswerProps) {
  const models = api.useQuery('get', '/models')
  const chat = useChat()
  const [text, setText] = useState(QUESTION)
  const model = models.data?.data.find(
    ({ state, capabilities }) => state === 'available' && capabilities.includes('chat'),
  )?.id
  const hasAnswer = chat.bill !== undefined
  useEffect(() => {
    if (hasAnswer) onAnswer()
  }, [hasAnswer])
  return (
    <Stack gap="sm">
      {(chat.said.length > 0 || chat.error !== undefined) && <Conversation chat={chat} />}
      {models.data !== undefined && model === undefined ? (
        <Text fz="sm">No model can be asked at this moment.</Text>
      ) : (
        !hasAnswer && (
          <form
            onSubmit={(event: FormEvent) => {
              event.preventDefault()
              if (model !== undefined) void chat.ask(apiKey, model, text)
            }}
          >
            <Group align="flex-end" gap="sm">
              <TextInput
                label="Your question"
                flex={1}
                miw={220}
                autoComplete="off"
                value={text}
                onChange={({ currentTarget: { value } }) => setText(value)}
              />
              <Button
                type="submit"
                loading={chat.isRunning}
                disabled={model === undefined || text.trim() === ''}
              >
                Ask
              </Button>
            </Group>
          </form>
        )
      )}
    </Stack>
  )
}
