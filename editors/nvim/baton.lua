-- SPDX-License-Identifier: Apache-2.0
-- baton.lua - `baton lsp` for Neovim 0.7 and newer.
--
--     require("baton").setup({ root = "." })
--
-- All members are optional: cmd (a list of words), config, root, organism, input (paths), skills (a list of paths), filetypes.
-- Relative paths start at the workspace folder: the nearest folder above the file that has a baton.yaml or is a repository.
local M = {}

local MARKERS = { "baton.yaml", ".git", ".hg", ".jj" }
local FILETYPES = { "json", "jsonc", "markdown", "csv", "xml", "yaml", "text" }
local SETTINGS = { "config", "root", "organism", "input", "skills" }

-- The nearest folder above a file that has one of the markers, else the current folder.
local function find_root(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  while folder and folder ~= "" do
    for _, marker in ipairs(MARKERS) do
      if vim.loop.fs_stat(folder .. "/" .. marker) then
        return folder
      end
    end
    local parent = vim.fn.fnamemodify(folder, ":h")
    if parent == folder then
      break
    end
    folder = parent
  end
  return vim.loop.cwd()
end

-- The running server of a folder, or a new one.
local function start(options, root)
  for id, known in pairs(M.clients) do
    if known == root and vim.lsp.get_client_by_id(id) then
      return id
    end
  end
  local settings = {}
  for _, name in ipairs(SETTINGS) do
    settings[name] = options[name]
  end
  local id = vim.lsp.start_client({
    name = "baton",
    cmd = options.cmd or { "baton", "lsp" },
    cmd_cwd = root,
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    init_options = next(settings) and settings or nil,
  })
  if id then
    M.clients[id] = root
  end
  return id
end

M.clients = {}

-- Attach a buffer to the server of its folder. Returns the id of the client, or nil.
function M.attach(buffer, options)
  local file = vim.api.nvim_buf_get_name(buffer)
  local id = start(options or {}, find_root(file))
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
  return id
end

function M.setup(options)
  options = options or {}
  local program = (options.cmd or { "baton" })[1]
  if vim.fn.executable(program) == 0 then
    vim.notify("baton: the program " .. program .. " is not on PATH", vim.log.levels.ERROR)
    return
  end
  vim.api.nvim_create_autocmd("FileType", {
    group = vim.api.nvim_create_augroup("baton", { clear = true }),
    pattern = options.filetypes or FILETYPES,
    callback = function(event)
      M.attach(event.buf, options)
    end,
  })
end

return M
