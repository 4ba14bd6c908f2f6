import { Button, Group, Select, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { api } from '../../api/client.ts'
import { tell } from '../../api/tell.ts'
import { Conversation } from '../../chat/conversation.tsx'
import { OWN_KEY_LIMIT_MICROS, useOwnKey } from '../../chat/own-key.ts'
import { useChat } from '../../chat/use-chat.ts'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Page } from '../../parts/page.tsx'
import { Surface } from '../../parts/surface.tsx'
import { inShortDollars } from '../../words/money.ts'

/** Asks a model from the page, with a key of the page's own. */
export function PlaygroundPage() {
  const models = api.useQuery('get', '/models')
  const chat = useChat()
  const ownKey = useOwnKey('Playground')
  const [chosen, setChosen] = useState<string>()
  const [text, setText] = useState('')
  const [keyError, setKeyError] = useState<unknown>()
  const able = models.data?.data.filter(({ capabilities }) => capabilities.includes('chat')) ?? []
  const model = chosen ?? able.find(({ state }) => state === 'available')?.id

  const ask = async () => {
    if (model === undefined || text.trim() === '' || chat.isRunning) return
    tell('playground_asked', 'playground')
    setKeyError(undefined)
    try {
      const key = await ownKey()
      setText('')
      await chat.ask(key, model, text.trim())
    } catch (error) {
      setKeyError(error)
    }
  }

  return (
    <Page
      title="Playground"
      about={`Your words stay in this page: leave it and they are gone. It uses a key of its own, which ends after an hour and spends ${inShortDollars(OWN_KEY_LIMIT_MICROS)} at the most.`}
      actions={
        chat.said.length > 0 && (
          <Button variant="default" onClick={chat.clear}>
            Forget everything
          </Button>
        )
      }
    >
      <Surface>
        <Conversation chat={chat} />
        {keyError !== undefined && <FailureNotice error={keyError} />}
        {models.error !== null && <FailureNotice error={models.error} />}
        <form
          onSubmit={(event: FormEvent) => {
            event.preventDefault()
            void ask()
          }}
        >
          <Stack gap="sm">
            <Textarea
              label="Your message"
              autosize
              minRows={2}
              maxRows={12}
              autoComplete="off"
              value={text}
              onChange={({ currentTarget: { value } }) => setText(value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
                event.preventDefault()
                void ask()
              }}
            />
            <Group justify="space-between" align="flex-end" gap="sm">
              <Select
                aria-label="Model"
                placeholder="Model"
                allowDeselect={false}
                w={{ base: '100%', xs: 300 }}
                data={able.map(({ id, state }) => ({
                  value: id,
                  label: id,
                  disabled: state !== 'available',
                }))}
                value={model ?? null}
                onChange={(value) => setChosen(value ?? undefined)}
              />
              <Group gap="sm">
                <Text fz="sm" c="dimmed" visibleFrom="sm">
                  Enter sends, Shift and Enter begins a line
                </Text>
                {chat.isRunning ? (
                  <Button variant="default" leftSection={<Icon name="stop" size={16} />} onClick={chat.stop}>
                    Stop
                  </Button>
                ) : (
                  <Button
                    type="submit"
                    leftSection={<Icon name="send" size={16} />}
                    disabled={model === undefined || text.trim() === ''}
                  >
                    Send
                  </Button>
                )}
              </Group>
            </Group>
          </Stack>
        </form>
      </Surface>
    </Page>
  )
}
