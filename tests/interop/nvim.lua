-- SPDX-License-Identifier: Apache-2.0
-- nvim.lua - run by `nvim --headless -c luafile`: the module of editors/nvim in a real Neovim.
--
-- Diagnostics appear, a code action is applied, formatting works. BATON, BATON_LUA and BATON_PLACE are in the environment.
local baton, module, place = vim.env.BATON, vim.env.BATON_LUA, vim.env.BATON_PLACE
local failed = 0

local function claim(name, holds)
  failed = failed + (holds and 0 or 1)
  io.stdout:write((holds and "ok - " or "not ok - ") .. name .. "\n")
end

local function wait(happens)
  return vim.wait(20000, happens, 20)
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

local function has(code)
  for _, item in ipairs(vim.diagnostic.get(0)) do
    if item.code == code or (item.user_data and item.user_data.lsp and item.user_data.lsp.code == code) then
      return true
    end
  end
  return false
end

local function run()
  package.path = module .. "/?.lua;" .. package.path
  local client = require("baton")
  client.setup({ cmd = { baton, "lsp", "--now", "2026-04-14T09:00:00Z" } })
  vim.cmd("edit " .. place .. "/a.handoff.json")
  vim.bo.filetype = "json"
  claim("diagnostics appear", wait(function() return has("SCHEMA_ENUM") end))

  local params = vim.lsp.util.make_range_params()
  params.range = { start = { line = 0, character = 0 }, ["end"] = { line = 1000, character = 0 } }
  params.context = { diagnostics = {}, only = { "quickfix" } }
  local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 20000) or {}
  local chosen
  for _, answer in pairs(answers) do
    for _, action in ipairs(answer.result or {}) do
      if action.title:find("SCHEMA_ENUM", 1, true) then
        chosen = action
      end
    end
  end
  claim("a code action is offered", chosen ~= nil)
  if chosen then
    vim.lsp.util.apply_workspace_edit(chosen.edit, "utf-16")
    claim("it is applied", text():find('"implementation"', 1, true) ~= nil)
    claim("its finding is gone", wait(function() return not has("SCHEMA_ENUM") end))
  end

  local before = text()
  vim.bo.shiftwidth, vim.bo.expandtab = 4, true
  vim.lsp.buf.formatting_sync({ tabSize = 4, insertSpaces = true }, 20000)
  claim("formatting works", text() ~= before and text():find('\n    "handoff": {\n        "version"', 1, true) ~= nil)

  local hover = vim.lsp.buf_request_sync(0, "textDocument/hover",
    { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 2, character = 10 } }, 20000) or {}
  local shown = false
  for _, answer in pairs(hover) do
    shown = shown or (answer.result ~= nil and answer.result.contents.value:find("version", 1, true) ~= nil)
  end
  claim("hover explains a member", shown)
end

local fine, message = pcall(run)
if not fine then
  claim("the module runs: " .. tostring(message), false)
end
vim.cmd(failed == 0 and "qall!" or "cquit!")
